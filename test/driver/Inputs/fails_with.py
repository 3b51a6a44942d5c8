"""fails_with.py CODE COMMAND…: runs the command, which must exit with CODE, print nothing on stdout and one error.

Its stderr goes to stdout, for FileCheck.
"""

import subprocess
import sys

code, command = int(sys.argv[1]), sys.argv[2:]
done = subprocess.run(command, capture_output=True, text=True)
print(done.stderr, end="")
if done.returncode != code:
    sys.exit(f"wanted exit code {code}, found {done.returncode}: {' '.join(command)}")
if done.stdout:
    sys.exit(f"wanted nothing on stdout, found:\n{done.stdout}")
if done.stderr.count("error: ") != 1:
    sys.exit(f"wanted exactly one error: {' '.join(command)}")
