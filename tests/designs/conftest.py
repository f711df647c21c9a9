import gc

import pytest


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()
