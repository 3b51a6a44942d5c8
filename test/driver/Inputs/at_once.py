"""at_once.py COUNT FOLDER COMMAND…: runs COMMAND FOLDER/N.heddle for N from 0 to COUNT - 1, all at the same time. Prints
what they say on stderr, and fails when one of them does."""

import os
import subprocess
import sys

count, folder, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
os.makedirs(folder, exist_ok=True)
processes = [subprocess.Popen([*command, f"{folder}/{number}.heddle"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
             for number in range(count)]
said = [process.communicate()[1] for process in processes]
sys.stdout.write("".join(said))
sys.exit(any(process.returncode for process in processes))
