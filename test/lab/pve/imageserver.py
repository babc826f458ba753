"""A plain HTTP server of the images folder: GET and HEAD, with ranges, nothing else."""

from pathlib import Path

from aiohttp import web


async def serve_images(folder: Path, host: str, port: int) -> web.AppRunner:
    app = web.Application()
    app.router.add_static('/', folder)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError:
        await runner.cleanup()
        raise
    return runner
