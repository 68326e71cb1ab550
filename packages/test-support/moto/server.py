"""Moto's emulation of AWS on a port of this machine. It exits with its parent, which holds its standard input open."""

import os
import sys
import threading

from moto.server import main


def exit_with_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=exit_with_parent, daemon=True).start()
main(["-H", "127.0.0.1", "-p", sys.argv[1]])
