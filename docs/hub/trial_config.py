"""JupyterHub for a trial on your own machine: no accounts, no root, one password.

Start it with ``jupyterhub -f docs/hub/trial_config.py``, then log in as anna or ben,
with the password ``only-a-trial``. All servers run as you, in folders below
``hub-homes``: never use this for a class.
"""

from pathlib import Path

c = get_config()  # noqa: F821
# By its full path, because a name that is not found would be ignored silently.
load_subconfig(str(Path(__file__).with_name("jupyterhub_config.py")))  # noqa: F821

c.JupyterHub.bind_url = "http://127.0.0.1:8000"
# JupyterHub requires at least eight characters.
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = "only-a-trial"
c.Authenticator.allowed_users = {"anna", "ben"}
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(Path.cwd() / "hub-homes/{username}")
