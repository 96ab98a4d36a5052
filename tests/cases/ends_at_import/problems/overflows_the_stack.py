import sys

sys.setrecursionlimit(10**9)


def deeper(_):
    return sorted([1, 2], key=deeper)


deeper(1)
