"""`holdfast hook EVENT`: tells an agent, when its client runs a hook, what it should know at that moment.

- `request` reads the payload of any client; `facts` collects what there is to say; `said` keeps an event from
  repeating itself; `answer` puts these together. All read the stores directly and import only light modules.
- `analysis` adds what needs an analysis. `listener` answers hooks in a running server, over a socket in the
  store's folder, and has it; `connection` is the hook's end of that socket.

Contract: a hook starts nothing, and whatever goes wrong, it is silent and exits with status 0.
"""
