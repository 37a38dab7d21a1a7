"""Redis' protocol, versions 2 and 3, as far as a test needs it: replies as Python values, and as the bytes that came."""

import socket


class Refused(Exception):
    """An error reply. Inside an array it is an element; on its own the connection raises it."""

    def __eq__(self, other):
        return isinstance(other, Refused) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


def request(*words):
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        data = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
    return b"".join(parts)


class Connection:
    """A call sends one command and returns its reply. Bulk strings are bytes and simple strings are str, so that a test notices
    when one is sent in place of the other. Flat arrays of RESP2 and maps of RESP3 stay what they are: see pairs()."""

    def __init__(self, port, resp=2, timeout=60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb", buffering=1 << 16)
        self.pushed = []
        if resp == 3:
            self("HELLO", 3)

    def __call__(self, *words):
        reply = self.reply_or_error(*words)
        if isinstance(reply, Refused):
            raise reply
        return reply

    def reply_or_error(self, *words):
        self.send(*words)
        return self.read()

    def refused(self, *words):
        """The text of the error with which the server must refuse this command."""
        reply = self.reply_or_error(*words)
        assert isinstance(reply, Refused), f"{words[0]} should have been refused, and replied {reply!r}"
        return str(reply)

    def raw(self, *words):
        """The bytes of the reply."""
        self.send(*words)
        return self.read_raw()

    def send(self, *words):
        self.socket.sendall(request(*words))

    def pipeline(self, commands):
        """The replies of all of these, sent at once. The server must take them as fast as this sends them."""
        self.socket.sendall(b"".join(request(*words) for words in commands))
        return [self.read() for _ in commands]

    def read(self):
        while True:
            kind, value = parse(self.read_raw())
            if kind != b">":
                return value
            self.pushed.append(value)

    def read_raw(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind in b"$=!" and rest != b"-1":
            return line + self.file.read(int(rest) + 2)
        if kind in b"*~%>" and rest != b"-1":
            count = int(rest) * (2 if kind == b"%" else 1)
            return line + b"".join(self.read_raw() for _ in range(count))
        assert kind in b"+-:,#_(*$", f"not RESP: {line!r}"
        return line

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def parse(data):
    """The kind and the value of a reply, which is all of the data."""
    kind, value, end = value_at(data, 0)
    assert end == len(data), f"bytes after the reply: {data[end:]!r}"
    return kind, value


def value_at(data, start):
    end = data.index(b"\r\n", start)
    kind, rest, after = data[start : start + 1], data[start + 1 : end], end + 2
    if kind == b"+":
        return kind, rest.decode(), after
    if kind == b"-":
        return kind, Refused(rest.decode()), after
    if kind in b":(":
        return kind, int(rest), after
    if kind == b",":
        return kind, float(rest), after
    if kind == b"#":
        return kind, {b"t": True, b"f": False}[rest], after
    if kind == b"_" or rest == b"-1":
        return kind, None, after
    if kind in b"$=!":
        stop = after + int(rest)
        return kind, data[after:stop], stop + 2
    values = []
    for _ in range(int(rest) * (2 if kind == b"%" else 1)):
        _, value, after = value_at(data, after)
        values.append(value)
    return kind, dict(zip(values[::2], values[1::2])) if kind == b"%" else values, after


def pairs(flat):
    """A flat array of names and values, or a map, as a dictionary."""
    return flat if isinstance(flat, dict) else dict(zip(flat[::2], flat[1::2]))
