"""The server's certificate: made once, used again by every later server of the same state directory."""

import datetime
from pathlib import Path

from cryptography import x509
from fakepve.certs import make_cert

# fakepve's certificates hold for 30 days.
RENEW_BEFORE = datetime.timedelta(days=2)


def certificate(folder: Path, host: str) -> tuple[str, str]:
    """(certificate file, key file) under folder: pve.crt and pve.key."""
    cert, key = folder / 'pve.crt', folder / 'pve.key'
    if cert.exists() and key.exists():
        try:
            ends = x509.load_pem_x509_certificate(cert.read_bytes()).not_valid_after_utc
        except ValueError:
            ends = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)
        if ends - datetime.datetime.now(datetime.timezone.utc) > RENEW_BEFORE:
            return str(cert), str(key)
    made_cert, made_key, _ = make_cert(str(folder), name='pve', hosts=(host,))
    return made_cert, made_key
