"""What the end-to-end tests share; nothing but Python's standard library, so that they run on a bare machine.

A test is one file with `# RUN: %python %s %t`: it writes graphs and inputs into the folder %t, runs the `heddle` that
PATH finds on the device that HEDDLE_DEVICE names (cpu unless set), and compares with what Python computed in float64.
By hand: PATH=build/release/bin:$PATH python3 test/e2e/head_sizes.py /tmp/head_sizes
"""
