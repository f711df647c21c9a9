"""Step 87: record once, replay."""

import operator

import numpy as np

from dezero_lite import Variable
from dezero_lite.utils import sum_to

from .library import moved as __getattr__  # noqa: F401
from .step82 import calls

__all__ = ["Tape", "agrees", "array_in", "replay", "summed"]


def replay(calls, values):
    """Make the calls of a list: each is a function, the places of its inputs, and the
    place, or the places, of its results.
    """
    for f, ins, out in calls:
        result = f(*[values[i] for i in ins])
        if isinstance(out, int):
            values[out] = result
        else:
            for place, part in zip(out, result, strict=True):
                values[place] = part


class Tape:
    """The forward and backward pass of a loss, as a list of calls on arrays.

    Its inputs are Variables or arrays; everything else is constant from now on.
    """

    def __init__(self, loss, inputs):
        self.values, self.calls, self.places = [], [], {}
        self.inputs = [self.input(x) for x in inputs]
        graph = sorted(calls(loss), key=lambda call: call.generation)
        for call in graph:
            self.there(call)
        self.loss = self.place(loss)
        gradients = {self.loss: self.new(np.ones_like(loss.data)[()])}
        for call in reversed(graph):
            self.back(call, gradients)
        self.gradients = [gradients[i] for i in self.inputs if i in gradients]

    def __call__(self, *arrays):
        """Return the loss of these inputs, and its gradients."""
        for place, array in zip(self.inputs, arrays, strict=True):
            self.values[place] = array
        replay(self.calls, self.values)
        return self.values[self.loss], [self.values[i] for i in self.gradients]

    def new(self, value):
        """Make a new place with this value."""
        self.values.append(value)
        return len(self.values) - 1

    def input(self, x):
        """Make a place for an input, which calls on its array will read."""
        data = array_in(x)
        self.places[id(x)] = self.places[id(data)] = self.new(data[()])
        return self.places[id(x)]

    def place(self, x):
        """Find the place of an operand, or make a new one for a constant."""
        data = array_in(x)
        if id(x) not in self.places and id(data) not in self.places:
            self.places[id(x)] = self.new(
                data[()] if isinstance(data, np.ndarray) else data
            )
        return self.places.get(id(x), self.places.get(id(data)))

    def call(self, f, ins):
        """Call f, now and in each replay, and return the places of its results."""
        result = f(*[self.values[i] for i in ins])
        many = isinstance(result, tuple)
        outs = [self.new(part) for part in (result if many else [result])]
        self.calls.append((f, ins, outs if many else outs[0]))
        return outs

    def there(self, call):
        """Record the forward pass of a call."""
        call.outs = self.call(call.forward, [self.place(x) for x in call.inputs])
        call.output = lambda i, like: self.values[call.outs[i]]
        for y, out in zip(call.outputs, call.outs, strict=True):
            if y() is not None:  # else it was dropped
                self.places[id(y())] = out

    def back(self, call, gradients):
        """Record the backward pass of a call, and add up its gradients."""
        ins = [self.place(x) for x in call.inputs]
        for out in call.outs:
            if out not in gradients:  # this output was not used
                gradients[out] = self.new(np.zeros_like(self.values[out]))
        gys = [gradients[out] for out in call.outs]
        n = len(ins)

        def vjp(*xs):
            return call.vjp(xs[:n], *xs[n:])

        outs = self.call(vjp, ins + gys)
        for x, i, gx in zip(call.inputs, ins, outs, strict=True):
            if not isinstance(x, Variable) or self.values[gx] is None:
                continue
            if np.shape(self.values[gx]) != x.shape:
                (gx,) = self.call(summed, [self.new(x.shape), gx])
            if i in gradients:
                (gx,) = self.call(operator.add, [gradients[i], gx])
            gradients[i] = gx


def array_in(x):
    """Return the array in a Variable, and anything else as it is."""
    return x.data if isinstance(x, Variable) else x


def summed(shape, gx):
    """Sum a gradient over the axes that were stretched."""
    return sum_to(gx, shape)


def agrees(tape, step, *inputs):
    """Check whether the tape gives the same loss as the real step on these inputs."""
    loss, _ = tape(*inputs)
    return np.array_equal(loss, step(*map(Variable, inputs)).data)
