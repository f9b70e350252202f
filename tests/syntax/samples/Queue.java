package example;

/** A queue. */
public class Queue<T> {
    private static final int LIMIT = 10;
    private int size;

    public Queue(int size) {
        this.size = size > 0 ? size : LIMIT; // conditional
    }

    @Override
    public boolean add(T item) {
        if (item == null || size >= LIMIT && full()) { // if, ||, &&
            return false;
        }
        for (T other : this) { // for
            while (other != item) { size++; } // while
        }
        switch (size) {
            case 1: // case
            case 2: // case
                break;
            default:
        }
        return true;
    }

    public boolean add(T item, int at) {
        int kind = switch (at) {
            case 0, 1 -> 2; // case
            default -> 3;
        };
        try {
            items.forEach(one -> { if (one != null) size++; }); // if, in a lambda
        } catch (RuntimeException problem) { // catch
            return false;
        }
        return true;
    }

    enum Order { FIRST, LAST { void go() { } }; }

    interface Listener { void heard(); int TIMES = 1; }

    record Entry(int at) { Entry { } }

    Object anonymous() {
        return new Object() {
            @Override public String toString() { return ""; }
        };
    }
}
