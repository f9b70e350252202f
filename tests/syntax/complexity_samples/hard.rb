class A < B
  def m(a, b = 1, *c, k:, &blk)
    return 1 if a && b
    xs.each do |x|
      next unless x
      while y
        z
      end
    end
    a ? b : c
  rescue E => e
    retry if a
  else
    1
  ensure
    2
  end
  def self.s(x) = x ? s(x - 1) : 0
  define_method("x") { |y| if y then z end }
  def case_it(x)
    case x
    when 1 then 2
    when 3
      if a
        b
      elsif c
        d
      else
        e
      end
    else 4
    end
  end
end
