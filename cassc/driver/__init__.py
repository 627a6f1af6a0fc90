"""The compiler driver: command line to invocation, invocation to plan, plan to jobs."""
