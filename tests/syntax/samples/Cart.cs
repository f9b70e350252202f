using System;

namespace Shop.Core
{
    public class Cart<T> : Base
    {
        private int count = 1;
        public event EventHandler Changed;

        public Cart(int count) : base(count) { }

        public int Total
        {
            get { return count > 0 ? count : 0; }
        }

        public int this[int at] => at;

        public static Cart<T> operator +(Cart<T> one, Cart<T> other) { return one; }

        public async Task<int> Add(string name, int amount)
        {
            foreach (var item in items) // foreach
            {
                if (item == null || item.Name == name && amount > 0) { } // if, ||, &&
            }
            switch (amount)
            {
                case 1: // case
                    break;
                default:
                    break;
            }
            var kind = amount switch { 1 => "one", _ => "many" }; // arm
            try { } catch (Exception problem) when (problem.Data != null) { } // catch
            int Local(int n) { return n ?? 1; } // ??, of the local function
            Func<int, int> twice = n => n * 2;
            return Local(twice(1));
        }
    }

    public interface IShop { void Open(); }
    public struct Price { }
    public enum Currency { Euro, Dollar }
    public record Item(int Id);
    public delegate int Rule(int value);
}
