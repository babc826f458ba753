"""Worker tasks: every failure ends the task, and each ended task is saved."""

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from fakepve.model import Model, PveError, TaskError

from .process import StartError
from .sockets import CommandError, SocketError
from .volumes import VolumeError

LOG = logging.getLogger('pve')
# The log of the task that runs, and the VMID that it works for.
_record: contextvars.ContextVar[dict[str, Any] | None] = contextvars.ContextVar('record', default=None)
working_for: contextvars.ContextVar[int | None] = contextvars.ContextVar('working_for', default=None)
# Failures with a message for the user; anything else is a defect and is logged with its traceback.
EXPECTED = (PveError, VolumeError, StartError, SocketError, CommandError, OSError)


def log(text: str) -> None:
    """Add a line to the log of the running task."""
    record = _record.get()
    if record is not None:
        record['log'].append(text)


class LabTasks(Model):
    """Mixin of LabPve."""

    save: Callable[[], None]

    async def task(self, node: str, ttype: str, tid: Any, user: str, body: Callable[[], Awaitable[Any]],
                   vm: Any = None, lock: bool = True, log: Any = ()) -> str:
        holder: dict[str, Any] = {}

        async def guarded() -> Any:
            _record.set(holder.get('record'))
            working_for.set(int(tid) if str(tid).isdigit() else None)
            try:
                return await body()
            except TaskError as e:
                failure = str(e)
            except EXPECTED as e:
                failure = getattr(e, 'message', None) or str(e)
            except asyncio.CancelledError:
                raise
            except Exception as e:  # noqa: BLE001 - fakepve would leave the task running for ever
                LOG.exception('task %s %s', ttype, tid)
                failure = f'internal error: {e}'
            LOG.warning('task %s %s on %s failed: %s', ttype, tid, node, failure)
            raise TaskError(failure)

        upid: str = await super().task(node, ttype, tid, user, guarded, vm=vm, lock=lock, log=log)
        # The body runs after this returns: time_scale is not 0, so fakepve only schedules it.
        holder['record'] = self.tasks[upid]
        asyncio.ensure_future(self._save_after(upid))
        return upid

    async def _save_after(self, upid: str) -> None:
        record = self.tasks[upid]
        while record['status'] == 'running':
            await asyncio.sleep(0.1)
        self.save()
