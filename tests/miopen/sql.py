"""sql.py - runs statements on a database of SQLite, or a program while another process writes there

sql.py run DATABASE                  prints the rows of the statements on standard input, which are
                                     separated by semicolons
sql.py locked DATABASE COMMAND...    exit status 0 if the command ends with 1 within a minute
"""
# SPDX-License-Identifier: MIT
import sqlite3
import subprocess
import sys


def run(database):
    db = sqlite3.connect(database)
    for statement in sys.stdin.read().split(";"):
        for row in db.execute(statement):
            print("|".join(map(str, row)))
    db.commit()


def locked(database, *command):
    db = sqlite3.connect(database, isolation_level=None)
    db.execute("begin exclusive")
    sys.exit(subprocess.run(command, timeout=60).returncode != 1)


{"run": run, "locked": locked}[sys.argv[1]](*sys.argv[2:])
