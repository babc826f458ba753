"""QMP and the guest agent: one short connection a command, one at a time for each socket."""

import asyncio
import base64
import json
import os
import secrets
from pathlib import Path
from typing import Any

LIMIT = 8 * 1024 ** 2
# A guest on an emulated processor answers late; a node's own limit for the check is 3 s.
AGENT_CHECK_SECONDS = 5.0
READ_CHUNK = 1024 ** 2


class SocketError(Exception):
    """Nobody answers at the socket, or not in time."""


class CommandError(Exception):
    """The other side answered with an error; the message is its own."""


async def connect(folder: Path, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to a socket in a folder of any depth (a socket address holds 107 bytes only)."""
    try:
        fd = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as e:
        raise SocketError(f'{folder}: {e.strerror}') from e
    try:
        return await asyncio.open_unix_connection(f'/proc/self/fd/{fd}/{name}', limit=LIMIT)
    except OSError as e:
        raise SocketError(f'{name}: {e.strerror or e}') from e
    finally:
        os.close(fd)


def _encode(command: str, arguments: dict[str, Any] | None) -> bytes:
    message: dict[str, Any] = {'execute': command}
    if arguments:
        message['arguments'] = arguments
    return json.dumps(message).encode() + b'\n'


def _result(answer: dict[str, Any]) -> Any:
    if 'error' in answer:
        raise CommandError(str(answer['error'].get('desc') or answer['error']))
    return answer.get('return')


class Qmp:
    """The monitor of one VM."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._lock = asyncio.Lock()

    async def command(self, name: str, arguments: dict[str, Any] | None = None, timeout: float = 10) -> Any:
        async with self._lock:
            try:
                return await asyncio.wait_for(self._command(name, arguments), timeout)
            except (asyncio.TimeoutError, ValueError, ConnectionError, EOFError) as e:
                raise SocketError(f'no answer to {name} on qmp.sock within {timeout:g} s') from e

    async def _command(self, name: str, arguments: dict[str, Any] | None) -> Any:
        reader, writer = await connect(self.folder, 'qmp.sock')
        try:
            await reader.readline()  # the greeting
            for message in (_encode('qmp_capabilities', None), _encode(name, arguments)):
                writer.write(message)
                await writer.drain()
                answer: dict[str, Any] = {'event': ''}
                while 'event' in answer:
                    line = await reader.readline()
                    if not line:
                        raise EOFError
                    answer = json.loads(line)
                result = _result(answer)
            return result
        finally:
            writer.close()


class GuestAgent:
    """The agent of one VM, over its virtio-serial port."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._lock = asyncio.Lock()

    async def command(self, name: str, arguments: dict[str, Any] | None = None, timeout: float = 20) -> Any:
        """The agent's answer. SocketError: it is not running; CommandError: what it said."""
        async with self._lock:
            reader, writer = await self._synchronised()
            try:
                return await self._ask(reader, writer, name, arguments, timeout)
            finally:
                writer.close()

    async def _synchronised(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await connect(self.folder, 'qga.sock')
        number = secrets.randbelow(2 ** 31)

        async def sync() -> None:
            # 0xFF makes the agent drop a half-read request, and marks where its answer begins (qga protocol).
            writer.write(b'\xff' + _encode('guest-sync-delimited', {'id': number}))
            await writer.drain()
            while True:
                await reader.readuntil(b'\xff')
                answer = await reader.readline()
                try:
                    if json.loads(answer).get('return') == number:
                        return
                except ValueError:
                    continue  # an answer to somebody who gave up
        try:
            await asyncio.wait_for(sync(), AGENT_CHECK_SECONDS)
        except (asyncio.TimeoutError, EOFError, ConnectionError, asyncio.LimitOverrunError) as e:
            writer.close()
            raise SocketError('the guest agent does not answer') from e
        return reader, writer

    @staticmethod
    async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str,
                   arguments: dict[str, Any] | None, timeout: float) -> Any:
        try:
            writer.write(_encode(name, arguments))
            await writer.drain()
            line = await asyncio.wait_for(reader.readline(), timeout)
            if not line:
                raise EOFError
            return _result(json.loads(line))
        except (asyncio.TimeoutError, EOFError, ConnectionError, ValueError) as e:
            raise SocketError(f'no answer to {name} within {timeout:g} s') from e

    async def read_file(self, path: str, offset: int, count: int) -> tuple[bytes, bool]:
        """Up to count bytes of a guest's file, and whether there are more."""
        async with self._lock:
            reader, writer = await self._synchronised()
            try:
                handle = await self._ask(reader, writer, 'guest-file-open', {'path': path, 'mode': 'r'}, 20)
                try:
                    if offset:
                        await self._ask(reader, writer, 'guest-file-seek',
                                        {'handle': handle, 'offset': offset, 'whence': 'set'}, 20)
                    data, ended = b'', False
                    while len(data) < count and not ended:
                        part = await self._ask(reader, writer, 'guest-file-read', {
                            'handle': handle, 'count': min(READ_CHUNK, count - len(data))}, 20)
                        data += base64.b64decode(part['buf-b64'])
                        ended = bool(part['eof']) or not part['count']
                    return data, not ended
                finally:
                    await self._ask(reader, writer, 'guest-file-close', {'handle': handle}, 20)
            finally:
                writer.close()
