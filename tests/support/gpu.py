"""CuPy in the tests: the real one if this machine has a GPU, otherwise a stand-in."""

from dezero_lite import cuda
from tests.support import fake_cupy

cupy = cuda.cupy or fake_cupy
