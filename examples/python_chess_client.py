#!/usr/bin/env python3
"""Drives Millstone with python-chess (the package `chess`), whose engine interface works with any board that
has the methods of `MillBoard`. The example sets options, plays with pondering, analyses with several lines,
and stops an endless analysis.

    python3 examples/python_chess_client.py [target/release/millstone]
"""

import copy
import logging
import sys

import chess
import chess.engine

ENGINE = sys.argv[1] if len(sys.argv) > 1 else "target/release/millstone"

RINGS = ["d5 e5 e4 e3 d3 c3 c4 c5", "d6 f6 f4 f2 d2 b2 b4 b6", "d7 g7 g4 g1 d1 a1 a4 a7"]
RINGS = [ring.split() for ring in RINGS]
POINTS = [point for ring in RINGS for point in ring]
SPOKES = [[ring[k] for ring in RINGS] for k in range(0, 8, 2)]
# The corners of a ring stand at odd places, the middles of its sides at even ones.
LINES = [[ring[k - 1], ring[k], ring[(k + 1) % 8]] for ring in RINGS for k in range(0, 8, 2)] + SPOKES
NEIGHBOURS = {
    p: {q for line in LINES if p in line for q in line if abs(line.index(p) - line.index(q)) == 1}
    for p in POINTS
}


class MillMove(str):
    """A move as the protocol writes it: `d6`, `a1-a4` or `xb4`."""

    def uci(self):
        return str(self)


class MillBoard:
    """Nine men's morris, as far as python-chess asks."""

    uci_variant = "nine"
    chess960 = False

    def __init__(self):
        self.men = {}  # point: side
        self.hand = {chess.WHITE: 9, chess.BLACK: 9}
        self.turn = chess.WHITE
        self.takes = False  # the side to move has closed a mill
        self.move_stack = []
        self.before = []  # the state before each move

    def in_mill(self, point):
        lines = [line for line in LINES if point in line]
        return any(all(self.men.get(p) == self.men[point] for p in line) for line in lines)

    def legal_moves(self):
        own = [p for p in POINTS if self.men.get(p) == self.turn]
        free = [p for p in POINTS if p not in self.men]
        if self.takes:
            theirs = [p for p in POINTS if self.men.get(p) == (not self.turn)]
            return [f"x{p}" for p in [p for p in theirs if not self.in_mill(p)] or theirs]
        if self.hand[self.turn]:
            return list(free)
        if len(own) < 3:
            return []
        return [f"{p}-{q}" for p in own for q in free if len(own) == 3 or q in NEIGHBOURS[p]]

    def push(self, move):
        self.before.append((dict(self.men), dict(self.hand), self.turn, self.takes))
        self.move_stack.append(move)
        if self.takes:
            del self.men[move[1:]]
            self.takes = False
        else:
            to = move[-2:]
            if "-" in move:
                del self.men[move[:2]]
            else:
                self.hand[self.turn] -= 1
            self.men[to] = self.turn
            self.takes = self.in_mill(to)
        if not self.takes:
            self.turn = not self.turn

    def pop(self):
        self.men, self.hand, self.turn, self.takes = self.before.pop()
        return self.move_stack.pop()

    def parse_uci(self, text):
        if text not in self.legal_moves():
            raise ValueError(f"illegal move {text} after {' '.join(self.move_stack)}")
        return MillMove(text)

    def push_uci(self, text):
        move = self.parse_uci(text)
        self.push(move)
        return move

    def copy(self, *, stack=True):
        return copy.deepcopy(self)

    def root(self):
        return type(self)()

    def fen(self, **_):
        """The text of the initial position, the only one that is sent; moves follow it."""
        return "********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1"

    def __eq__(self, other):
        return self.move_stack == other.move_stack


class Faults(logging.Handler):
    """Collects what python-chess finds wrong with what the engine says."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.found = []

    def emit(self, record):
        # `currmove` is read as a move of chess, whatever the board is.
        if "currmove" not in record.getMessage():
            self.found.append(record.getMessage())


faults = Faults()
logging.getLogger("chess.engine").addHandler(faults)

with chess.engine.SimpleEngine.popen_uci(ENGINE, timeout=60) as engine:
    print("connected to", engine.id["name"], "with", len(engine.options), "options")
    engine.configure({"Hash": 32, "UCI_ShowWDL": True, "Move Overhead": 20})
    engine.ping()

    board = MillBoard()
    limits = [
        chess.engine.Limit(nodes=2000),
        chess.engine.Limit(depth=4),
        chess.engine.Limit(time=0.01),
        chess.engine.Limit(white_clock=5, black_clock=5, white_inc=0.01, black_inc=0.01),
    ]
    game, hits = object(), 0
    while board.legal_moves() and len(board.move_stack) < 80:
        limit = limits[len(board.move_stack) % len(limits)]
        # A copy, since python-chess later compares it with the position that is pondered, to recognise a hit.
        played = engine.play(board.copy(), limit, game=game, ponder=True, info=chess.engine.INFO_ALL)
        board.push(played.move)
        # This client plays the expected answer whenever there is one, so the engine has pondered on it.
        if played.ponder:
            board.push(played.ponder)
            hits += 1
    print(len(board.move_stack), "moves:", *board.move_stack)
    print("pondering was right", hits, "times")

    board = MillBoard()
    for text in ["d6", "f4", "d2"]:
        board.push_uci(text)
    for line in engine.analyse(board, chess.engine.Limit(depth=8), multipv=3):
        score, wdl = line["score"].relative, tuple(line["wdl"].relative)
        print("line", line["multipv"], "depth", line["depth"], "score", score, "wdl", wdl)
    with engine.analysis(board, root_moves=[MillMove("b4"), MillMove("a1")]) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 6:
                break
    print("stopped, the better of b4 and a1 is", analysis.wait().move)
    engine.configure({"Clear Hash": None, "Threads": 2})
    print("two threads play", engine.play(board, chess.engine.Limit(time=0.05)).move)

print("faults found by python-chess:", len(faults.found), *faults.found)
sys.exit(bool(faults.found))
