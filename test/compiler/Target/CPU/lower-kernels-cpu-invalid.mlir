// RUN: heddle-opt %s -lower-kernels-cpu=target=sm_80 -verify-diagnostics

// expected-error@+1 {{unknown target 'sm_80', wanted x86-64-v3 or x86-64-v4}}
module {
}
