"""help_width.py HEDDLE: whether the help texts of the program and of every subcommand fit into 100 columns."""
import subprocess
import sys

COMMANDS = ["", "compile", "run", "train", "bench", "explain", "check", "devices", "cache", "cache list", "cache clear"]
wide = []
for command in COMMANDS:
    text = subprocess.run([sys.argv[1], *command.split(), "--help"], capture_output=True, text=True, check=True).stdout
    wide += [line for line in text.splitlines() if len(line) > 100 and not line.startswith("  heddle ")]
print(f"{len(COMMANDS)} help texts, " + ("none wider than 100 columns" if not wide else "too wide:"), *wide, sep="\n")
