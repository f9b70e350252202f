"""Hard cases of Python."""


@decorate(a and b)
async def awaited(self, a, /, b=1, *args, key: "x" = None, **more):
    async for x in y:
        async with z:
            if x:
                continue
    else:
        pass


class Shop:
    def method(self, a):
        return self.method(a - 1) if a else 0

    @classmethod
    def made(cls):
        return [x for x in y if x and z]

    @property
    def size(self):
        size()
        match self.x:
            case 1 | 2 if self.y:
                return 1
            case [a, *_]:
                return 2
            case other:
                return 3

    class Inner:
        @staticmethod
        def deep():
            assert a and b
            lambda: (a if b else c)


def outer(a):
    x = 1

    def first():
        while a:
            def second():
                if b or c:
                    pass

    class Local:
        if a:
            y = 1

        def third(self):
            try:
                pass
            except* ValueError:
                if a:
                    pass
            else:
                if b:
                    pass
            finally:
                if c:
                    pass

    return first


def decorator(function):
    def wrapper():
        if function:
            return 1

    return wrapper


square = lambda x: x * x if x else 0
values = sorted(y, key=lambda x: 0 if x is None else x)
