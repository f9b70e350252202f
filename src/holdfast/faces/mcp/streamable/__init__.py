"""The protocol over HTTP: sessions of the handshake era, single requests of the stateless one."""
