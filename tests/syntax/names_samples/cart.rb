require "json"
require_relative "lib/x"
load "y.rb"
autoload :Foo, "foo"
module Shop
  class Cart < Base::Model
    include Comparable
    attr_reader :name
    LIMIT = 3
    def initialize(name, size = 1, *rest, key: 2, **opts, &block)
      @name = name
      dead = 1
      x = items.map { |i| i.foo(1) }.first
      puts "hi #{x} there", key: 1, :sym => x&.bar
      return x unless valid?
      save!
      raise "x"
      after
    end
    def self.build; new; end
    private
    def hidden; end
    protected def prot; end
    private :later
    def later; end
  end
end
if __FILE__ == $0
  begin; rescue Err => e; end
end
