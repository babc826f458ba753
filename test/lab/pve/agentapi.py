"""The guest agent's API, answered by the agent in the guest."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any

from fakepve.model import Model, PveError
from fakepve.routing import die

from .commandline import agent_enabled
from .sockets import CommandError, GuestAgent, SocketError

# Commands that PVE hands through: the agent's command is `guest-` and the name, its answer is under `result`.
PLAIN = ('ping', 'info', 'get-fsinfo', 'get-host-name', 'get-memory-block-info', 'get-memory-blocks', 'get-osinfo',
         'get-time', 'get-timezone', 'get-users', 'get-vcpus', 'network-get-interfaces', 'fstrim', 'fsfreeze-freeze',
         'fsfreeze-status', 'fsfreeze-thaw')
OUTPUT_KEYS = ('out-data', 'err-data')


class LabAgent(Model):
    """Mixin of LabPve."""

    agent: Callable[[Any], GuestAgent]

    async def _agent_call(self, match: Any, values: dict[str, Any]) -> Any:
        vm = self.find(values['node'], values['vmid'])
        command = match.template.rsplit('/', 1)[1]
        if not agent_enabled(vm.config):
            raise die('No QEMU guest agent configured')
        if vm.status != 'running':
            raise die(f'VM {vm.vmid} is not running')
        special: dict[str, Callable[[GuestAgent, dict[str, Any]], Awaitable[Any]]] = {
            'exec': self._exec, 'exec-status': self._exec_status,
            'file-read': self._file_read, 'file-write': self._file_write}
        try:
            if command in special:
                return await special[command](self.agent(vm), values)
            if command not in PLAIN:
                raise PveError(501, f"the lab's PVE does not pass the agent command '{command}' on")
            return {'result': await self.agent(vm).command('guest-' + command)}
        except SocketError as e:
            raise die('QEMU guest agent is not running') from e
        except CommandError as e:
            raise die(f'Agent error: {e}') from e

    @staticmethod
    async def _exec(agent: GuestAgent, values: dict[str, Any]) -> Any:
        command = values['command']
        path, *arguments = [command] if isinstance(command, str) else [str(part) for part in command]
        request: dict[str, Any] = {'path': path, 'arg': arguments, 'capture-output': True}
        if values.get('input-data') is not None:
            request['input-data'] = base64.b64encode(str(values['input-data']).encode()).decode()
        return await agent.command('guest-exec', request)

    @staticmethod
    async def _exec_status(agent: GuestAgent, values: dict[str, Any]) -> Any:
        answer = dict(await agent.command('guest-exec-status', {'pid': int(values['pid'])}))
        for key in OUTPUT_KEYS:
            if key in answer:
                answer[key] = base64.b64decode(answer[key]).decode('utf-8', 'replace')
        for key in ('exited', 'out-truncated', 'err-truncated'):
            if key in answer:
                answer[key] = int(answer[key])
        return answer

    @staticmethod
    async def _file_read(agent: GuestAgent, values: dict[str, Any]) -> Any:
        data, more = await agent.read_file(str(values['file']), int(values.get('offset', 0)),
                                           int(values.get('count', 16 * 1024 ** 2)))
        decode = str(values.get('decode', 1)) not in ('0', 'False')
        out: dict[str, Any] = {'content': data.decode('utf-8', 'replace') if decode
                               else base64.b64encode(data).decode()}
        if more:
            out['truncated'] = 1
        return out

    @staticmethod
    async def _file_write(agent: GuestAgent, values: dict[str, Any]) -> None:
        content = str(values['content'])
        if str(values.get('encode', 1)) not in ('0', 'False'):
            content = base64.b64encode(content.encode()).decode()
        handle = await agent.command('guest-file-open', {'path': values['file'], 'mode': 'wb'})
        try:
            await agent.command('guest-file-write', {'handle': handle, 'buf-b64': content})
        finally:
            await agent.command('guest-file-close', {'handle': handle})
