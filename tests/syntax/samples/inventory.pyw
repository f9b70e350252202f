"""An inventory."""

import functools

LIMIT = 10


@functools.cache
def price(item, discount=None):
    if discount and item in discount or item is None:  # if, and, or
        return 0
    elif item == "gift":  # elif
        return 1
    return item if discount else 2  # conditional


class Inventory:
    """Things."""

    size: int = 0

    def __init__(self, items):
        self.items = [one for one in items if one]  # for, if

    @property
    def first(self):
        for one in self.items:  # for
            while one.broken:  # while
                one = one.next
            try:
                return one.value
            except (KeyError, ValueError):  # except
                pass
        assert self.items  # assert

    async def match(self, command):
        def named(word):
            return word or "none"  # or, of the inner function

        match command:
            case "go" if self.size:  # case
                return named("go")
            case ["drop", *rest]:  # case
                return rest
            case _:
                return None


double = lambda value: value * 2 if value else 0  # conditional
