"""Fetching a URL for query-url-metadata and download-url: plain functions, run in a thread."""

import hashlib
import ipaddress
import re
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any

TIMEOUT = 30
CHUNK = 1024 ** 2


class DownloadError(Exception):
    """The URL cannot be fetched, or what came is not what was asked for."""


def _check_loopback(url: str) -> None:
    """The lab reaches nothing outside of this machine, on purpose: it behaves the same everywhere."""
    host = urllib.parse.urlsplit(url).hostname or ''
    try:
        inside = host == 'localhost' or ipaddress.ip_address(host).is_loopback
    except ValueError:
        inside = False
    if not inside:
        raise DownloadError(f"the lab's nodes download from 127.0.0.1 only, not from '{host}' ({url}). "
                            "Give the URL of the lab's image server")


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        _check_loopback(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(url: str, method: str, verify: bool) -> Any:
    _check_loopback(url)
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Redirects(),
                                         urllib.request.HTTPSHandler(context=context))
    try:
        return opener.open(urllib.request.Request(url, method=method), timeout=TIMEOUT)
    except urllib.error.HTTPError as e:
        e.close()
        raise DownloadError(f'{e.code} {e.reason} ({url})') from e
    except (OSError, HTTPException) as e:
        reason = getattr(e, 'reason', None) or e
        text = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
        raise DownloadError(f'{text} ({url}). Is the image server running?') from e


def metadata(url: str, verify: bool) -> dict[str, Any]:
    """The answer of query-url-metadata: size, file name and type as the server states them."""
    with _open(url, 'HEAD', verify) as answer:
        out: dict[str, Any] = {}
        if (answer.headers.get('Content-Length') or '').isdigit():
            out['size'] = int(answer.headers['Content-Length'])
        named = re.search(r'filename="?([^";]+)', answer.headers.get('Content-Disposition') or '')
        path = urllib.parse.unquote(urllib.parse.urlsplit(answer.geturl()).path)
        name = named.group(1) if named else path.rsplit('/', 1)[-1]
        if name:
            out['filename'] = re.sub(r'[^-A-Za-z0-9_.]', '_', name)
        if answer.headers.get('Content-Type'):
            out['mimetype'] = answer.headers.get_content_type()
        return out


def checksum(path: Path, algorithm: str) -> str:
    with open(path, 'rb') as data:
        return hashlib.file_digest(data, algorithm).hexdigest()


def fetch(url: str, target: Path, verify: bool, need_free: Callable[[int], None], log: Callable[[str], None],
          stopping: Callable[[], bool]) -> int:
    """Download into target; returns the size. A failed download leaves no file."""
    try:
        with _open(url, 'GET', verify) as answer, open(target, 'wb') as out:
            total = int(answer.headers.get('Content-Length') or 0)
            need_free(total)
            done, told = 0, 0
            while chunk := answer.read(CHUNK):
                if stopping():
                    raise DownloadError('the server is stopping')
                out.write(chunk)
                done += len(chunk)
                if total and done * 10 // total > told:
                    told = done * 10 // total
                    log(f'{done // 1024 ** 2}M of {total // 1024 ** 2}M ({told * 10}%)')
        if total and done != total:
            raise DownloadError(f'the connection ended after {done} of {total} bytes ({url})')
        return done
    except (socket.timeout, HTTPException, OSError) as e:
        target.unlink(missing_ok=True)
        raise DownloadError(f'{getattr(e, "strerror", None) or e} ({url})') from e
    except BaseException:
        target.unlink(missing_ok=True)
        raise
