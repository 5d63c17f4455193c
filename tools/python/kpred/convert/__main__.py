"""__main__.py - starts an importer; kpred-train starts this file by its path, and users `python3 -m kpred.convert`

SPDX-License-Identifier: MIT
"""
import gc
import os
import sys

if sys.version_info < (3, 9):
    print("#error\t%s: importers need Python 3.9, and this is %s" % (sys.argv[-1], sys.version.split()[0]))
    sys.exit(1)
if not __package__: # by its path: nothing else of the package is needed, and no folder of the user's is looked into
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from convert.command import main # type: ignore
else:
    from .command import main

gc.disable() # a short life, and no circles
try:
    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:
    sys.exit(130)
