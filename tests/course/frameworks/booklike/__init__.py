from booklike.core import Function as Function
from booklike.core import Variable as Variable
