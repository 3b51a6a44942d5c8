"""Writes a driver that fails in `check` and `run`. Usage: failing_driver.py HEDDLE FILE"""

import pathlib
import shlex
import sys

driver, path = sys.argv[1], pathlib.Path(sys.argv[2])
path.write_text(f"""#!/bin/sh
case $1 in check | run) echo 'error: out of order' >&2; exit 1 ;; esac
exec {shlex.quote(driver)} "$@"
""")
path.chmod(0o755)
