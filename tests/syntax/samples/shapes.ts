export interface Shape {
  name: string
  area(scale: number): number
}

export type Point = { x: number; y: number }

export enum Colour { Red, Green }

export abstract class Circle implements Shape {
  readonly name = 'circle'
  constructor(private radius: number) {}
  abstract colour(): Colour
  area(scale: number): number {
    return this.radius > 0 && scale ? scale : 0 // &&, conditional
  }
}

export namespace geometry {
  export const distance = (a: Point, b: Point): number => a === b ? 0 : 1 // conditional
}

export function measure(one: Shape): number
export function measure(one: Shape, scale: number): number
export function measure(one: Shape, scale?: number): number {
  return one.area(scale ?? 1) // ??
}

@decorated
export class Square {
  @logged()
  side(): number { return 1 }
}
