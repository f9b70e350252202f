# frozen_string_literal: true
module Bank
  class Account < Base
    LIMIT = 10

    attr_reader :owner

    def initialize(owner)
      @owner = owner
    end

    def self.open(name, limit = LIMIT)
      if name && limit || LIMIT # if, &&, ||
        1
      elsif limit # elsif
        2
      end
      return 3 unless name # unless
      case limit
      when 1, 2 then 3 # when
      when 4 then 5 # when
      else 6
      end
      begin
        run
      rescue ArgumentError => e # rescue
        raise
      end
      limit ? 1 : 2 # conditional
    end

    class << self
      def close
        name ||= 1 while true # ||=, while
      end
    end

    CHECK = ->(value) { value and LIMIT } # and
  end
end

describe "account" do
  it "opens" do
    until done do end # until
  end
end
