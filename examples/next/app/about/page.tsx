export default function About() {
  return <p>Our own page</p>
}
