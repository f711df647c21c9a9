"""A framework like the book's after step 16, except that its backward overwrites."""

import numpy as np


class Variable:
    def __init__(self, data):
        if data is not None and not isinstance(data, np.ndarray):
            raise TypeError(f"{type(data)} is not supported")
        self.data, self.grad, self.creator, self.generation = data, None, None, 0

    def set_creator(self, func):
        self.creator, self.generation = func, func.generation + 1

    def cleargrad(self):
        self.grad = None

    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)
        funcs, seen = [self.creator], {self.creator}
        while funcs:
            funcs.sort(key=lambda f: f.generation)
            f = funcs.pop()
            gxs = f.backward(*[output.grad for output in f.outputs])
            for x, gx in zip(
                f.inputs, gxs if isinstance(gxs, tuple) else (gxs,), strict=True
            ):
                x.grad = gx
                if x.creator is not None and x.creator not in seen:
                    seen.add(x.creator)
                    funcs.append(x.creator)


class Function:
    def __call__(self, *inputs):
        ys = self.forward(*[x.data for x in inputs])
        outputs = [
            Variable(np.asarray(y)) for y in (ys if isinstance(ys, tuple) else (ys,))
        ]
        self.generation = max(x.generation for x in inputs)
        for output in outputs:
            output.set_creator(self)
        self.inputs, self.outputs = inputs, outputs
        return outputs if len(outputs) > 1 else outputs[0]


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        return 2 * self.inputs[0].data * gy


class Exp(Function):
    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        return np.exp(self.inputs[0].data) * gy


class Add(Function):
    def forward(self, x0, x1):
        return x0 + x1

    def backward(self, gy):
        return gy, gy


def add(x0, x1):
    return Add()(x0, x1)
