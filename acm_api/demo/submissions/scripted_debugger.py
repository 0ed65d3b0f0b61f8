"""A debugger that knows the two mistakes of crashing.py and fixes one at a time.

A real one is any program that works in this folder: it reads prompt.md, writes versions to
submissions/, waits for their results, and leaves a report.
"""

import subprocess
import sys
from pathlib import Path

MENDS = (("1 / (side - 5)", "1 / side"), ("np.array(center)", "np.array(centers)"))

code = Path("submission_v1.py").read_text()
done = []
for number, (wrong, right) in enumerate(MENDS, start=2):
    if wrong not in code:
        continue
    code = code.replace(wrong, right)
    done.append(f"{wrong} -> {right}")
    part = Path("tmp", "next.py")
    part.write_text(code)
    part.rename(Path("submissions", f"submission_v{number}.py"))
    waited = subprocess.run([sys.executable, "monitor_evaluation.py", str(number)], check=False)
    if waited.returncode == 0:
        Path("report_success.md").write_text(f"Mended: {'; '.join(done)}.\n")
        break
else:
    Path("report_failed.md").write_text("I know no further mistake.\n")
