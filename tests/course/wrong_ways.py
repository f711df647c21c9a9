"""Mistakes that people make in the workshop, each with what they read about it.

A mistake is a step, what they type there, and pieces of the answer that they get: where
it stops, where to look, and, where the table has a word on it, which idea is missing.
"""

from dataclasses import dataclass


@dataclass
class Mistake:
    what: str
    step: int
    code: str
    said: tuple


MISTAKES = [
    Mistake(
        "the result is not put into a box",
        2,
        """
class Function:
    def __call__(self, input):
        return self.forward(input.data)

class Square(Function):
    def forward(self, x):
        return x**2
""",
        ("*It works, cell 1* stops", "the lesson's `Function.__call__` in place"),
    ),
    Mistake(
        "the slope is divided by half of the distance",
        4,
        """
def numerical_diff(f, x, eps=1e-4):
    y0 = f(Variable(x.data - eps))
    y1 = f(Variable(x.data + eps))
    return (y1.data - y0.data) / eps
""",
        ("stops at the line", "“measures a derivative” does not work", "on each side"),
    ),
    Mistake(
        "the gradient that comes in is left out",
        6,
        """
class Variable:
    def __init__(self, data):
        self.data = data
        self.grad = None

class Function:
    def __call__(self, input):
        self.input = input
        return Variable(self.forward(input.data))

class Square(Function):
    def backward(self, gy):
        return 2 * self.input.data

class Exp(Function):
    def backward(self, gy):
        return np.exp(self.input.data) * gy
""",
        ("stops at the line", "the lesson's `Square.backward` in place of yours"),
    ),
    Mistake(
        "the walk stops after one function",
        7,
        """
class Variable:
    def __init__(self, data):
        self.data = data
        self.grad = None
        self.creator = None

    def set_creator(self, func):
        self.creator = func

    def backward(self):
        f = self.creator
        if f is not None:
            f.input.grad = f.backward(self.grad)

class Function:
    def __call__(self, input):
        output = Variable(self.forward(input.data))
        output.set_creator(self)
        self.input = input
        self.output = output
        return output
""",
        ("the lesson's `Variable.backward` in place", "the way back can be found"),
    ),
    Mistake(
        "the loop never ends",
        14,
        """
class Variable:
    def cleargrad(self):
        self.grad = None

    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)
        funcs = [self.creator]
        while funcs:
            f = funcs[-1]
            gxs = f.backward(*[y.grad for y in f.outputs])
            gxs = gxs if isinstance(gxs, tuple) else (gxs,)
            for x, gx in zip(f.inputs, gxs, strict=True):
                x.grad = as_array(gx if x.grad is None else x.grad + gx)
""",
        (
            "takes more than 6 seconds, and was stopped",
            "It happened in your `Variable.backward`",
            "the lesson's `Variable.backward` in place",
        ),
    ),
    Mistake(
        "a box takes anything",
        9,
        """
class Variable:
    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)
        funcs = [self.creator] if self.creator is not None else []
        while funcs:
            f = funcs.pop()
            f.input.grad = as_array(f.backward(f.output.grad))
            if f.input.creator is not None:
                funcs.append(f.input.creator)

class Function:
    def __init__(self, *inputs):
        if inputs:
            raise TypeError("make the function first")

    def __call__(self, input):
        y = as_array(self.forward(input.data))
        if not isinstance(y, np.ndarray):
            raise TypeError("forward has to return an array")
        output = Variable(y)
        output.set_creator(self)
        self.input, self.output = input, output
        return output

def as_array(x):
    return np.array(x) if np.isscalar(x) else x

def square(x):
    return Square()(x)

def exp(x):
    return Exp()(x)
""",
        (
            "Still as in step 8: `Variable.__init__`",
            "“rejects anything but an array” does not work",
            "a mistake is easiest to find where it is made",
            # With arrays alone in boxes, the nudged number has to become one.
            "the lesson's `Variable.__init__`, `numerical_diff` in place of yours",
        ),
    ),
    Mistake(
        "the star before the inputs is forgotten",
        12,
        """
class Function:
    def __call__(self, inputs):
        ys = self.forward(*[x.data for x in inputs])
        ys = ys if isinstance(ys, tuple) else (ys,)
        outputs = [Variable(as_array(y)) for y in ys]
        for output in outputs:
            output.set_creator(self)
        self.inputs, self.outputs = inputs, outputs
        return outputs if len(outputs) > 1 else outputs[0]

class Square(Function):
    def forward(self, x):
        return x**2

class Exp(Function):
    def forward(self, x):
        return np.exp(x)

class Add(Function):
    def forward(self, x0, x1):
        return x0 + x1

def square(x):
    return Square()(x)

def exp(x):
    return Exp()(x)

def add(x0, x1):
    return Add()(x0, x1)
""",
        (
            "the lesson's `Function.__call__` in place",
            "Your `Function.__call__` takes `(self, inputs)`; the lesson's takes "
            "`(self, *inputs)`",
        ),
    ),
    Mistake(
        "one gradient for two inputs",
        13,
        """
class Variable:
    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)
        funcs = [self.creator] if self.creator is not None else []
        while funcs:
            f = funcs.pop()
            gxs = f.backward(*[y.grad for y in f.outputs])
            if not isinstance(gxs, tuple):
                gxs = (gxs,)
            for x, gx in zip(f.inputs, gxs, strict=True):
                x.grad = as_array(gx)
                if x.creator is not None:
                    funcs.append(x.creator)

class Square(Function):
    def backward(self, gy):
        return 2 * self.inputs[0].data * gy

class Exp(Function):
    def backward(self, gy):
        return np.exp(self.inputs[0].data) * gy

class Add(Function):
    def backward(self, gy):
        return gy
""",
        ("ValueError: zip()", "the lesson's `Add.backward` in place of yours"),
    ),
    Mistake(
        "a second gradient takes the place of the first",
        14,
        """
class Variable:
    def cleargrad(self):
        self.grad = None
""",
        (
            "Still as in step 13: `Variable.backward`",
            "“uses a variable twice” does not work",
            "must not wipe out",
            "the lesson's `Variable.backward` in place of yours",
        ),
    ),
    Mistake(
        "the smallest generation comes first",
        16,
        """
class Variable:
    def __init__(self, data):
        if data is not None and not isinstance(data, np.ndarray):
            raise TypeError("Variable needs an array")
        self.data, self.grad, self.creator = data, None, None
        self.generation = 0

    def set_creator(self, func):
        self.creator = func
        self.generation = func.generation + 1

    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)
        funcs, seen = [self.creator], {self.creator}
        while funcs:
            funcs.sort(key=lambda f: -f.generation)
            f = funcs.pop()
            gxs = f.backward(*[y.grad for y in f.outputs])
            gxs = gxs if isinstance(gxs, tuple) else (gxs,)
            for x, gx in zip(f.inputs, gxs, strict=True):
                x.grad = as_array(gx if x.grad is None else x.grad + gx)
                if x.creator is not None and x.creator not in seen:
                    seen.add(x.creator)
                    funcs.append(x.creator)

class Function:
    def __call__(self, *inputs):
        ys = self.forward(*[x.data for x in inputs])
        ys = [as_array(y) for y in (ys if isinstance(ys, tuple) else (ys,))]
        if not all(isinstance(y, np.ndarray) for y in ys):
            raise TypeError("forward has to return arrays")
        outputs = [Variable(y) for y in ys]
        self.generation = max(x.generation for x in inputs)
        for output in outputs:
            output.set_creator(self)
        self.inputs, self.outputs = inputs, outputs
        return outputs if len(outputs) > 1 else outputs[0]
""",
        (
            "*It works, cell 1* stops at the line `assert x.grad == 64.0`",
            "has its turn once",
            "the lesson's `Variable.backward` in place of yours",
        ),
    ),
    Mistake(
        "plus and times are exchanged",
        20,
        """
class Mul(Function):
    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs
        return x1.data * gy, x0.data * gy

def mul(x0, x1):
    return Mul()(x0, x1)

Variable.__add__ = mul
Variable.__mul__ = add
""",
        (
            "the lesson's `Variable.__add__`, `Variable.__mul__` in place of yours",
            "Python looks for `__add__` and `__mul__`",
        ),
    ),
    Mistake(
        "the sides are not exchanged, and a colon is missing",
        22,
        """
class Neg(Function):
    def forward(self, x):
        return -x

    def backward(self, gy):
        return -gy

def neg(x):
    return Neg()(x)

class Sub(Function):
    def forward(self, x0, x1):
        return x0 - x1

    def backward(self, gy):
        return gy, -gy

def sub(x0, x1):
    return Sub()(x0, x1)

def rsub(x0, x1):
    return Sub()(x0, x1)

class Pow(Function):
    def __init__(self, c):
        self.c = c

    def forward(self, x):
        return x**self.c

    def backward(self, gy):
        return self.c * self.inputs[0].data ** (self.c - 1) * gy

def pow(x, c):
    return Pow(c)(x)

Variable.__neg__ = neg
Variable.__sub__ = sub
Variable.__rsub__ = rsub
Variable.__truediv__ = div
Variable.__rtruediv__ = rdiv
Variable.__pow__ = pow
""",
        (
            "Not written yet: `Div`, `div`, `rdiv`",
            "the lesson's `rsub` in place of yours",
            "which side is which",
        ),
    ),
]
