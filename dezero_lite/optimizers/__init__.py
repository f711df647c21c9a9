"""Rules that turn gradients into better parameters. Steps 46 and 50 explain them.

An optimizer goes over a model's parameters and changes each in place, a little against
its gradient. What it needs to remember about a parameter, such as the velocity of
momentum, it keeps in arrays of its own.
"""

from ..core import Parameter as Parameter
from ..deprecated import old_names_of
from .hooks import ClipGrad, FreezeParam, WeightDecay
from .optimizer import Optimizer
from .rules import SGD, AdaDelta, AdaGrad, Adam, AdamW, MomentumSGD

__all__ = ["SGD", "AdaDelta", "AdaGrad", "Adam", "AdamW", "MomentumSGD", "Optimizer"]
__all__ += ["ClipGrad", "FreezeParam", "WeightDecay"]

__getattr__ = old_names_of(__name__)
