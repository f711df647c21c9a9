"""JupyterHub for a class: one environment, and the course's folder in each home.

Start it with ``jupyterhub -f docs/hub/jupyterhub_config.py``; docs/hub.md explains the
rest.

By default, JupyterHub lets users log in with the machine's accounts (PAM). Only members
of the group ``course`` may log in: ``groupadd course``, and ``usermod -aG course NAME``
for each student.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
c = get_config()  # noqa: F821

c.PAMAuthenticator.allowed_groups = {"course"}

# Each server runs in the hub's own environment, so that there is only one.
c.Spawner.cmd = [sys.executable, str(HERE / "start_user.py")]
c.Spawner.default_url = "/lab/tree/my-course/start.ipynb"
# The first start creates the lessons, and many students may log in at once.
c.Spawner.start_timeout = 180
c.Spawner.http_timeout = 180
# Matrices in lessons are small; several threads in each kernel would take the cores
# from the others.
c.Spawner.environment = {"OPENBLAS_NUM_THREADS": "1"}
# A folder with MNIST and other data, if the hub was started with one.
c.Spawner.env_keep.append("DEZERO_LITE_DATA")
