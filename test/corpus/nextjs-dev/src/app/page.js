export default function Page() {
  return <a href="/posts">posts</a>;
}
