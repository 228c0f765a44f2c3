"""Which certificates an endpoint's is checked against."""

import os
import ssl
from functools import cache

from hermes_core.ground.errors import ConfigError


@cache
def trusted_context(ca_file: str | None = None) -> ssl.SSLContext:
    """Return a TLS client context, the same one each time.

    It trusts the system's store as OpenSSL was built to find it, the certifi bundle, and
    ``ca_file``. OpenSSL's own environment variables are not followed: see ``network``.
    """
    import certifi

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    paths = ssl.get_default_verify_paths()
    file = paths.openssl_cafile if os.path.isfile(paths.openssl_cafile) else None
    folder = paths.openssl_capath if os.path.isdir(paths.openssl_capath) else None
    if file or folder:
        context.load_verify_locations(file, folder)
    context.load_verify_locations(certifi.where())
    if ca_file:
        try:
            context.load_verify_locations(os.path.expanduser(ca_file))
        except OSError as error:
            raise ConfigError(
                f"SSL_CERT_FILE in .env names {ca_file}, which cannot be used: {error.strerror}."
            ) from None
    return context
