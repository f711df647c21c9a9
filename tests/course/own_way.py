"""What a learner types into the workshop who writes all of it right, in their own way:
other names and another structure than the lessons have.

A class here holds only what its step adds or changes; the rest of it stands in the
notebook already.
"""

STEPS = {
    1: """
class Variable:
    def __init__(self, content):
        self.data = content
""",
    2: """
class Function:
    def __call__(self, box):
        inside = box.data
        return Variable(self.forward(inside))


class Square(Function):
    def forward(self, array):
        return np.multiply(array, array)
""",
    3: '''
class Exp(Function):
    """The exponential function."""

    def forward(self, array):
        return np.exp(array)
''',
    4: """
def numerical_diff(f, x, eps=1e-4):
    values = [f(Variable(x.data + side * eps)).data for side in (1, -1)]
    above, below = values
    return (above - below) / eps / 2
""",
    5: """
DIRECTIONS = {"forward": 1, "backward": -1}


def jacobian_chain_cost(sizes, order):
    if order not in DIRECTIONS:
        raise ValueError(f"{order} is neither forward nor backward")
    way = list(sizes)[:: DIRECTIONS[order]]
    total = 0
    for k in range(1, len(way) - 1):
        total += way[0] * way[k] * way[k + 1]
    return total
""",
    6: """
class Variable:
    def __init__(self, content):
        self.data, self.grad = content, None


class Function:
    def __call__(self, box):
        self.input = box
        return Variable(self.forward(box.data))


class Square(Function):
    def backward(self, from_above):
        return from_above * (self.input.data + self.input.data)


class Exp(Function):
    def backward(self, from_above):
        return from_above * self.forward(self.input.data)
""",
    7: """
class Variable:
    creator = None

    def __init__(self, content):
        self.data, self.grad = content, None

    def set_creator(self, maker):
        self.creator = maker

    def backward(self):
        if self.creator is None:
            return
        before = self.creator.input
        before.grad = self.creator.backward(self.grad)
        before.backward()


class Function:
    def __call__(self, box):
        self.input, self.output = box, Variable(self.forward(box.data))
        self.output.set_creator(self)
        return self.output
""",
    8: """
class Variable:
    def backward(self):
        box = self
        while box.creator is not None:
            maker = box.creator
            maker.input.grad = maker.backward(box.grad)
            box = maker.input
""",
    9: """
def _checked(content):
    if content is None or isinstance(content, np.ndarray):
        return content
    raise TypeError(f"a Variable holds an array, not a {type(content).__name__}")


class Variable:
    def __init__(self, content):
        self.data, self.grad = _checked(content), None

    def backward(self):
        box = self
        if box.grad is None:
            box.grad = np.full_like(box.data, 1)
        while box.creator is not None:
            maker = box.creator
            maker.input.grad = as_array(maker.backward(box.grad))
            box = maker.input


class Function:
    def __init__(self, *nothing):
        if nothing:
            raise TypeError(f"call it twice: {type(self).__name__}()(x)")

    def __call__(self, box):
        result = as_array(self.forward(box.data))
        if not isinstance(result, np.ndarray):
            raise TypeError(f"{type(self).__name__}.forward has to return an array")
        self.input, self.output = box, Variable(result)
        self.output.set_creator(self)
        return self.output


def as_array(x):
    return np.asarray(x) if isinstance(x, int | float | np.generic) else x


square = lambda x: Square()(x)


def exp(box):
    f = Exp()
    return f(box)


def numerical_diff(f, x, eps=1e-4):
    values = [f(Variable(as_array(x.data + side * eps))).data for side in (1, -1)]
    return (values[0] - values[1]) / eps / 2
""",
    10: """
def gradient_check(f, x, rtol=1e-4, atol=1e-5):
    again = Variable(np.array(x.data))
    f(again).backward()
    measured = numerical_diff(f, again)
    return bool(np.all(abs(again.grad - measured) <= atol + rtol * abs(measured)))


def test_square_forward():
    assert square(Variable(np.array(4.0))).data == 16.0


def test_square_backward():
    box = Variable(np.array(-2.0))
    square(box).backward()
    assert box.grad == -4.0


def test_random_gradients():
    for seed in range(3):
        box = Variable(np.random.default_rng(seed).normal(size=4))
        assert gradient_check(square, box)
        assert gradient_check(exp, box)
""",
    11: """
class Function:
    def __call__(self, boxes):
        results = self.forward([box.data for box in boxes])
        self.inputs, self.outputs = boxes, []
        for result in results:
            box = Variable(as_array(result))
            box.set_creator(self)
            self.outputs.append(box)
        return self.outputs


class Square(Function):
    def forward(self, arrays):
        return [array * array for array in arrays]


class Exp(Function):
    def forward(self, arrays):
        return list(map(np.exp, arrays))


class Add(Function):
    def forward(self, arrays):
        return [arrays[0] + arrays[1]]


def square(box):
    (result,) = Square()([box])
    return result


def exp(box):
    (result,) = Exp()([box])
    return result
""",
    12: """
def as_tuple(thing):
    return thing if isinstance(thing, tuple) else (thing,)


class Function:
    def __call__(self, *boxes):
        results = as_tuple(self.forward(*(box.data for box in boxes)))
        self.inputs, self.outputs = boxes, []
        for result in map(as_array, results):
            if not isinstance(result, np.ndarray):
                raise TypeError(f"{type(self).__name__} made a {type(result).__name__}")
            self.outputs.append(Variable(result))
            self.outputs[-1].set_creator(self)
        if len(self.outputs) == 1:
            return self.outputs[0]
        return self.outputs


class Square(Function):
    def forward(self, array):
        return array * array


class Exp(Function):
    def forward(self, array):
        return np.exp(array)


class Add(Function):
    def forward(self, left, right):
        return left + right


def square(box):
    return Square()(box)


def exp(box):
    return Exp()(box)


def add(left, right):
    return Add()(left, right)
""",
    13: """
from collections import deque


class Variable:
    def backward(self):
        if self.grad is None:
            self.grad = np.full_like(self.data, 1)
        waiting = deque([self])
        while waiting:
            maker = waiting.pop().creator
            if maker is None:
                continue
            gradients = maker.backward(*(box.grad for box in maker.outputs))
            for box, gradient in zip(maker.inputs, as_tuple(gradients), strict=True):
                box.grad = as_array(gradient)
                waiting.append(box)


class Square(Function):
    def backward(self, from_above):
        (box,) = self.inputs
        return from_above * (box.data + box.data)


class Exp(Function):
    def backward(self, from_above):
        return from_above * self.outputs[0].data


class Add(Function):
    def backward(self, from_above):
        return (from_above,) * 2
""",
    14: """
class Variable:
    def cleargrad(self):
        self.receive(None)

    def receive(self, gradient):
        self.grad = gradient

    def backward(self):
        if self.grad is None:
            self.grad = np.full_like(self.data, 1)
        waiting = deque([self])
        while waiting:
            maker = waiting.pop().creator
            if maker is None:
                continue
            gradients = maker.backward(*(box.grad for box in maker.outputs))
            for box, gradient in zip(maker.inputs, as_tuple(gradients), strict=True):
                old = 0 if box.grad is None else box.grad
                box.receive(as_array(old + gradient))
                waiting.append(box)
""",
    15: """
from itertools import permutations


def topological_orders(links):
    def fits(order):
        place = {node: k for k, node in enumerate(order)}
        pairs = [(a, b) for a in links for b in links[a]]
        return all(place[a] < place[b] for a, b in pairs)

    return [list(order) for order in permutations(sorted(links)) if fits(order)]
""",
    16: '''
class Variable:
    generation = 0

    def set_creator(self, maker):
        self.creator, self.generation = maker, maker.generation + 1

    def backward(self):
        if self.grad is None:
            self.grad = np.full_like(self.data, 1)
        for maker in self.makers():
            gradients = maker.backward(*(box.grad for box in maker.outputs))
            for box, gradient in zip(maker.inputs, as_tuple(gradients), strict=True):
                old = 0 if box.grad is None else box.grad
                box.receive(as_array(old + gradient))

    def makers(self):
        """All functions before this variable, late generations first."""
        waiting = {self.creator} - {None}
        while waiting:
            maker = max(waiting, key=lambda maker: maker.generation)
            waiting.remove(maker)
            yield maker
            waiting |= {box.creator for box in maker.inputs} - {None}


class Function:
    def __call__(self, *boxes):
        results = as_tuple(self.forward(*(box.data for box in boxes)))
        self.generation = max(box.generation for box in boxes)
        self.inputs, self.outputs = boxes, []
        for result in map(as_array, results):
            if not isinstance(result, np.ndarray):
                raise TypeError(f"{type(self).__name__} made a {type(result).__name__}")
            self.outputs.append(Variable(result))
            self.outputs[-1].set_creator(self)
        if len(self.outputs) == 1:
            return self.outputs[0]
        return self.outputs
''',
    17: """
from weakref import ref


class Variable:
    def backward(self):
        if self.grad is None:
            self.grad = np.full_like(self.data, 1)
        for maker in self.makers():
            gradients = maker.backward(*(box().grad for box in maker.outputs))
            for box, gradient in zip(maker.inputs, as_tuple(gradients), strict=True):
                old = 0 if box.grad is None else box.grad
                box.receive(as_array(old + gradient))


class Function:
    def __call__(self, *boxes):
        results = as_tuple(self.forward(*(box.data for box in boxes)))
        self.generation = max(box.generation for box in boxes)
        made = [self.boxed(as_array(result)) for result in results]
        self.inputs, self.outputs = boxes, [ref(box) for box in made]
        return made[0] if len(made) == 1 else made

    def boxed(self, result):
        if not isinstance(result, np.ndarray):
            raise TypeError(f"{type(self).__name__} made a {type(result).__name__}")
        box = Variable(result)
        box.set_creator(self)
        return box


class Exp(Function):
    def backward(self, from_above):
        return from_above * np.exp(self.inputs[0].data)
""",
    18: """
class Config:
    enable_backprop = True


class using_config:
    def __init__(self, name, value):
        self.name, self.value = name, value

    def __enter__(self):
        self.before = getattr(Config, self.name)
        setattr(Config, self.name, self.value)

    def __exit__(self, *error):
        setattr(Config, self.name, self.before)


def no_grad():
    return using_config(name="enable_backprop", value=False)


class Variable:
    def backward(self, retain_grad=False):
        if self.grad is None:
            self.grad = np.full_like(self.data, 1)
        for maker in self.makers():
            above = [box() for box in maker.outputs]
            gradients = maker.backward(*(box.grad for box in above))
            for box, gradient in zip(maker.inputs, as_tuple(gradients), strict=True):
                old = 0 if box.grad is None else box.grad
                box.receive(as_array(old + gradient))
            for box in above if not retain_grad else ():
                box.cleargrad()


class Function:
    def __call__(self, *boxes):
        results = as_tuple(self.forward(*(box.data for box in boxes)))
        if not Config.enable_backprop:
            made = [Variable(as_array(result)) for result in results]
            return made[0] if len(made) == 1 else made
        self.generation = max(box.generation for box in boxes)
        made = [self.boxed(as_array(result)) for result in results]
        self.inputs, self.outputs = boxes, [ref(box) for box in made]
        return made[0] if len(made) == 1 else made
""",
    19: """
class Variable:
    def __init__(self, content, name=None):
        self.data, self.grad, self.name = _checked(content), None, name

    shape = property(lambda self: self.data.shape)
    ndim = property(lambda self: self.data.ndim)

    @property
    def size(self):
        return np.size(self.data)

    @property
    def dtype(self):
        return self.data.dtype

    def __len__(self):
        return self.data.shape[0]

    def __repr__(self):
        return "variable(" + f"{self.data}".replace("\\n", "\\n         ") + ")"
""",
    20: """
class Mul(Function):
    def forward(self, left, right):
        return left * right

    def backward(self, from_above):
        left, right = (box.data for box in self.inputs)
        return from_above * right, from_above * left


def mul(left, right):
    return Mul()(left, right)


class Variable:
    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return mul(self, other)
""",
    21: """
class Variable:
    __array_priority__ = 1000

    def __array__(self, *_, **__):
        raise TypeError("give NumPy the array in .data")

    __radd__ = __add__
    __rmul__ = __mul__


class Function:
    def __call__(self, *values):
        boxes = [as_variable(value) for value in values]
        results = as_tuple(self.forward(*(box.data for box in boxes)))
        if not Config.enable_backprop:
            made = [Variable(as_array(result)) for result in results]
            return made[0] if len(made) == 1 else made
        self.generation = max(box.generation for box in boxes)
        made = [self.boxed(as_array(result)) for result in results]
        self.inputs, self.outputs = boxes, [ref(box) for box in made]
        return made[0] if len(made) == 1 else made


def as_variable(value):
    if isinstance(value, Variable):
        return value
    return Variable(np.asarray(value))
""",
    22: """
class Neg(Function):
    def forward(self, array):
        return -array

    def backward(self, from_above):
        return -from_above


def neg(box):
    return Neg()(box)


class Sub(Function):
    def forward(self, left, right):
        return left - right

    def backward(self, from_above):
        return from_above, -from_above


class Div(Function):
    def forward(self, left, right):
        return left / right

    def backward(self, from_above):
        left, right = (box.data for box in self.inputs)
        share = from_above / right
        return share, -share * left / right


def other_way_round(function):
    def turned(left, right):
        return function(right, left)

    return turned


def sub(left, right):
    return Sub()(left, right)


def div(left, right):
    return Div()(left, right)


rsub = other_way_round(sub)
rdiv = other_way_round(div)


class Pow(Function):
    def __init__(self, exponent):
        self.exponent = exponent

    def forward(self, array):
        return array**self.exponent

    def backward(self, from_above):
        array = self.inputs[0].data
        return from_above * self.exponent * array ** (self.exponent - 1)


def pow(box, exponent):
    if isinstance(exponent, Variable):
        raise TypeError("the exponent has to be a number")
    return Pow(exponent)(box)


for name, function in {
    "__neg__": neg,
    "__sub__": sub,
    "__rsub__": rsub,
    "__truediv__": div,
    "__rtruediv__": rdiv,
    "__pow__": pow,
}.items():
    setattr(Variable, name, function)
""",
    32: """
class Variable:
    def backward(self, retain_grad=False, create_graph=False):
        if self.grad is None:
            self.grad = Variable(np.full_like(self.data, 1))
        for maker in self.makers():
            above = [box() for box in maker.outputs]
            with using_config("enable_backprop", create_graph):
                self.hand_on(maker, [box.grad for box in above])
            for box in above if not retain_grad else ():
                box.cleargrad()

    def hand_on(self, maker, gradients):
        below = as_tuple(maker.backward(*gradients))
        for box, gradient in zip(maker.inputs, below, strict=True):
            box.receive(gradient if box.grad is None else box.grad + gradient)


class Square(Function):
    def backward(self, from_above):
        (box,) = self.inputs
        return from_above * (box + box)


class Exp(Function):
    def backward(self, from_above):
        return from_above * exp(*self.inputs)


class Mul(Function):
    def backward(self, from_above):
        left, right = self.inputs
        return from_above * right, from_above * left


class Div(Function):
    def backward(self, from_above):
        left, right = self.inputs
        share = from_above / right
        return share, -share * left / right


class Pow(Function):
    def backward(self, from_above):
        (box,) = self.inputs
        return from_above * self.exponent * box ** (self.exponent - 1)


def gradient_check(f, x, rtol=1e-4, atol=1e-5):
    again = Variable(np.array(x.data))
    f(again).backward()
    measured = numerical_diff(f, again)
    return bool(np.all(abs(again.grad.data - measured) <= atol + rtol * abs(measured)))
""",
}
