#!/usr/bin/env python3
"""Lets Millstone play a game against itself through its protocol, with the standard library only.

    python3 examples/client.py [target/release/millstone]
"""

import subprocess
import sys

ENGINE = sys.argv[1] if len(sys.argv) > 1 else "target/release/millstone"


def send(line):
    print(line, file=engine.stdin, flush=True)


def wait_for(word):
    for line in engine.stdout:
        if line.startswith(word):
            return line.split()
    raise SystemExit("the engine has ended")


with subprocess.Popen([ENGINE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
    send("uci")
    wait_for("uciok")
    send("setoption name UCI_Variant value nine")
    send("isready")
    wait_for("readyok")
    moves = []
    while True:
        send(f"position startpos moves {' '.join(moves)}")
        send("moves")  # none when the game is over, also by the draw rules
        if wait_for("moves") == ["moves"]:
            break
        send("go nodes 2000")
        moves.append(wait_for("bestmove")[1])
    send("fen")
    print(len(moves), "moves:", *moves)
    print("the end:", *wait_for("fen")[1:])
    send("quit")
