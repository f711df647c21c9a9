"""JupyterHub for a class: one environment for all, the course laid in each home.

``jupyterhub -f docs/hub/jupyterhub_config.py``; docs/hub.md tells the rest.

Log in with the accounts of the machine (PAM) is what JupyterHub does if nothing else is
said. Who may come in is the group ``course``: ``groupadd course``, and ``usermod -aG
course NAME`` for each student.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
c = get_config()  # noqa: F821

c.PAMAuthenticator.allowed_groups = {"course"}

# Each server runs in the environment in which the hub runs, so there is only one of it.
c.Spawner.cmd = [sys.executable, str(HERE / "start_user.py")]
c.Spawner.default_url = "/lab/tree/my-course/start.ipynb"
# The first start lays the lessons, and many may come at once.
c.Spawner.start_timeout = 180
c.Spawner.http_timeout = 180
# Matrices in lessons are small; several threads in each kernel would take the cores
# from the others.
c.Spawner.environment = {"OPENBLAS_NUM_THREADS": "1"}
# A folder with MNIST and other data, if the hub was started with one.
c.Spawner.env_keep.append("DEZERO_LITE_DATA")
