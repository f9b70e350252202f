import React from 'react'

interface Props { title?: string }

export const View: React.FC<Props> = ({ title }) => {
  const shown = title || 'none' // ||
  return <div>{shown ? <b>{shown}</b> : null}</div> // conditional
}

export default function App() {
  return <View title="x" />
}
