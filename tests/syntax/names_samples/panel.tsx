import React, { useState } from "react";
import { Button as Btn, Unused } from "./button";
type Props = { title: string };
/* a comment */
export function Panel({ title, ...rest }: Props) {
  const [open, setOpen] = useState(false);
  const lost = 1;
  return (
    <Btn kind="large" onClick={() => setOpen(!open)} {...rest}>
      {/* a comment of JSX */}
      plain words {title}
    </Btn>
  );
}
