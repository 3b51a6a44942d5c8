"""many_entries.py FROM TO N: a folder of N cache entries, all of them copies of one."""
import pathlib
import sys

source, target, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
entry = min(source.iterdir())
target.mkdir(parents=True)
for number in range(count):
    (target / f"{number:0{len(entry.stem)}x}{entry.suffix}").write_bytes(entry.read_bytes())
