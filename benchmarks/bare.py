"""The same work in NumPy alone, without a graph, checks or a choice of algorithm: the
minimum for a framework on NumPy. Where PyTorch is faster than this, NumPy is the limit.

Convolution is im2col and matrix products (step 57), in one block; pooling compares
strided views. Both compute the gradients of all inputs, except for a network's images.
"""

from types import SimpleNamespace

import numpy as np

from .networks import Networks, image


def bare():
    return SimpleNamespace(networks=Bare(), scaled_rows=scaled_rows)


def scaled_rows(x, row):
    y = (x * row).sum()
    gy = np.broadcast_to(np.ones_like(y), x.shape)
    return gy * row, np.einsum("ij,ij->j", gy, x)


def sum_of_product(x, W):
    """Return a function that computes the sum and its gradients."""

    def work():
        y = (x @ W).sum()
        gy = np.full((len(x), W.shape[1]), np.ones_like(y))
        return y, gy @ W.T, x.T @ gy

    return work


class Bare(Networks):
    def conv2d(self, x_shape, w_shape, stride, pad):
        work = convolution(x_shape, w_shape, stride, pad)
        return lambda: work(image_gradient=True)

    def pooling(self, kind, kernel_size, stride):
        return max_pooling(image(8, 64, 56, 56), kernel_size, stride)

    def sum_of_product(self, n):
        return sum_of_product(image(n, n), image(n, n))

    def lenet_step(self):
        """Prepare only LeNet's convolutions and poolings."""
        first = convolution((64, 1, 28, 28), (6, 1, 5, 5), 1, 2)
        second = convolution((64, 6, 14, 14), (16, 6, 5, 5), 1, 0)
        pools = [max_pooling(image(64, c, n, n), 2, 2) for c, n in ((6, 28), (16, 10))]

        def step():
            first(image_gradient=False)
            second(image_gradient=True)
            for pool in pools:
                pool()

        return step


def fields(images, kernel, stride, stops):
    """Return views of the pixels under each entry of the window, by row and column."""
    end = stride * stops
    starts = [slice(i, i + end, stride) for i in range(kernel)]
    return [[images[:, :, rows, columns] for columns in starts] for rows in starts]


def convolution(x_shape, w_shape, stride, pad):
    """Return a function that computes the convolution, and the gradients of its sum
    with respect to the kernels and, if asked for, the images.
    """
    x, W = image(*x_shape), image(*w_shape)
    (n, c, h, w), (oc, _, k, _) = x_shape, w_shape
    stops = (h + 2 * pad - k) // stride + 1
    inside = np.s_[:, :, pad : pad + h, pad : pad + w]
    gy = np.ones((n, oc, stops, stops), np.float32)
    kernels = W.reshape(oc, -1)

    def work(image_gradient):
        bordered = np.zeros((n, c, h + 2 * pad, w + 2 * pad), np.float32)
        bordered[inside] = x
        columns = np.empty((c, k, k, n, stops, stops), np.float32)
        for i, row in enumerate(fields(bordered, k, stride, stops)):
            for j, field in enumerate(row):
                columns[:, i, j] = field.transpose(1, 0, 2, 3)
        matrix = columns.reshape(c * k * k, -1)
        y = (kernels @ matrix).reshape(oc, n, stops, stops)
        y = np.ascontiguousarray(y.transpose(1, 0, 2, 3))
        as_rows = gy.transpose(1, 0, 2, 3).reshape(oc, -1)
        gW = as_rows @ matrix.T
        if not image_gradient:
            return y, gW
        np.matmul(kernels.T, as_rows, out=matrix)
        back = np.zeros_like(bordered)
        for i, row in enumerate(fields(back, k, stride, stops)):
            for j, field in enumerate(row):
                field += columns[:, i, j].transpose(1, 0, 2, 3)
        return y, gW, back[inside]

    return work


def max_pooling(x, kernel, stride):
    """Return a function that computes the maxima and the gradient of their sum."""
    n, c, h, _ = x.shape
    stops = (h - kernel) // stride + 1
    end = stride * stops
    gy = np.ones((n, c, stops, stops), np.float32)

    def work():
        seen = fields(x, kernel, stride, stops)
        rows = x[:, :, :end:stride]
        for i in range(1, kernel):
            rows = np.maximum(rows, x[:, :, i : i + end : stride])
        y = rows[:, :, :, :end:stride]
        for j in range(1, kernel):
            y = np.maximum(y, rows[:, :, :, j : j + end : stride])
        gx = np.zeros_like(x)
        undecided = np.ones_like(y, bool)
        back = fields(gx, kernel, stride, stops)
        for row, gradients in zip(seen, back, strict=True):
            for field, gradient in zip(row, gradients, strict=True):
                won = (field == y) & undecided
                undecided ^= won
                gradient += won * gy
        return y, gx

    return work
