"""Pairwise alignment in bulk, mapping of reads and nucleotide BLAST, on CPUs and NVIDIA GPUs.

- :func:`nw` aligns many pairs of sequences from end to end.
- :class:`Index` maps reads to a reference, as ``bwa mem`` does.
- :func:`blastn` searches queries in a database, as NCBI's ``blastn`` does.

Results are those of the program ``gpualign``. ``device`` is ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"cuda:N"``, one GPU; results do
not depend on it. Python's lock is released during the work, and Ctrl-C ends it. A wrong argument is a :class:`ValueError`, every
other error of the work an :class:`Error` with the program's text.
"""

from ._blastn import blastn
from ._index import Index
from ._native import Alignment, Error, __version__
from ._nw import NwResult, Scoring, nw

__all__ = ["Alignment", "Error", "Index", "NwResult", "Scoring", "__version__", "blastn", "nw"]
