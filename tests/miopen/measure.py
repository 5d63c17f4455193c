"""measure.py - seconds that a program takes for a log, and KB at most when all of it is read

measure.py LOG OUTPUT COMMAND...   the KB are asked of the running program: what the system tells of
                                   one that has ended includes the interpreter that started it
"""
# SPDX-License-Identifier: MIT
import array
import fcntl
import subprocess
import sys
import termios
import time

start = time.time()
with open(sys.argv[1], "rb") as log, open(sys.argv[2], "wb") as out:
    kpred = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=out,
                             stderr=subprocess.DEVNULL)
    kpred.stdin.write(log.read())
    kpred.stdin.flush()
unread = array.array("i", [1])
while unread[0] and kpred.poll() is None and time.time() < start + 100:
    fcntl.ioctl(kpred.stdin, termios.FIONREAD, unread)
with open("/proc/%d/status" % kpred.pid) as f:
    most = next(line.split()[1] for line in f if line.startswith("VmHWM"))
kpred.stdin.close()
if kpred.wait(100) != 0:
    sys.exit("it failed")
print("%.2f %s" % (time.time() - start, most))
